package io.weir.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.config.InvalidConfigException;
import io.weir.config.MethodSpec;
import io.weir.config.Violation;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BalancingMethodsTest {

    private static InvalidConfigException refused(MethodSpec spec) {
        return catchThrowableOfType(InvalidConfigException.class, () -> BalancingMethods.create(spec));
    }

    @Test
    void makesEveryMethodItNames() {
        assertThat(BalancingMethods.names()).contains("round_robin", "least_conn");
        for (String name : BalancingMethods.names()) {
            assertThat(BalancingMethods.create(new MethodSpec(name, Map.of()))).isNotNull();
        }
    }

    @Test
    void unknownMethodIsRefused() {
        assertThat(refused(new MethodSpec("fastest", Map.of())).violations())
                .extracting(Violation::field)
                .containsExactly("method");
    }

    @Test
    void unknownArgumentsAreRefusedByName() {
        assertThat(refused(new MethodSpec("least_conn", Map.of("key", "$arg_user", "by", 1)))
                        .violations())
                .extracting(Violation::field)
                .containsExactly("by", "key");
    }
}
