package io.weir.control.store;

import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

class H2ConfigStoreIT extends ConfigStoreContract {

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        String url = TestDatabase.H2.inMemory();
        properties.add("spring.datasource.url", () -> url);
    }
}
