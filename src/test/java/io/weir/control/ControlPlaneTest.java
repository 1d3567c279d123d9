package io.weir.control;

import io.weir.LoadBalancerApplication;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;

/** The whole application on a database of its own, which all such tests share; each begins with {@link Api#clear}. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        classes = LoadBalancerApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.datasource.url=jdbc:h2:mem:control;DB_CLOSE_DELAY=-1",
            "weir.first-listener.enabled=false",
            "server.address=127.0.0.1"
        })
public @interface ControlPlaneTest {}
