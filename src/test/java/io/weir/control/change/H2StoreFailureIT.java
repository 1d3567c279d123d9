package io.weir.control.change;

import io.weir.control.store.TestDatabase;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

class H2StoreFailureIT extends StoreFailureContract {

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        String url = TestDatabase.H2.inMemory();
        properties.add("spring.datasource.url", () -> url);
    }
}
