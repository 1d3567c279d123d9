package io.weir.control;

import io.weir.control.store.TestDatabase;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/** Gives an application a database of its own, of the kind that this run of the tests is about. */
class StoreOfThisRun implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        TestPropertyValues.of(
                        "spring.datasource.url=" + TestDatabase.ofThisRun().inMemory())
                .applyTo(context);
    }
}
