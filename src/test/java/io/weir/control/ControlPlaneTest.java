package io.weir.control;

import io.weir.LoadBalancerApplication;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.ContextConfiguration;

/**
 * The whole application on a database of its own, which all such tests share; each begins with {@link Api#clear}. With
 * {@code -Dweir.store=postgresql} it is a PostgreSQL.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        classes = LoadBalancerApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"weir.first-listener.enabled=false", "server.address=127.0.0.1"})
@ContextConfiguration(initializers = StoreOfThisRun.class)
public @interface ControlPlaneTest {}
