package io.weir.control.web;

import io.swagger.v3.oas.annotations.media.ExampleObject;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On a {@code JsonNode} parameter of a controller: the request body, read strictly. */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Body {

    /** The record that documents its fields. */
    Class<?> schema();

    /** A body that can be sent as it stands. */
    String example();

    /** Further ones by name, to be sent after it and in their order. */
    ExampleObject[] more() default {};
}
