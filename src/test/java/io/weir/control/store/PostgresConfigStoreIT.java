package io.weir.control.store;

import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;

@TestPropertySource(properties = "weir.node.last-good=target/store/last-good.json")
class PostgresConfigStoreIT extends ConfigStoreContract {

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        String url = TestDatabase.POSTGRESQL.inMemory();
        properties.add("spring.datasource.url", () -> url);
    }
}
