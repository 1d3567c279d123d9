package io.weir.control.web;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On a write of a controller: what it answers, for the OpenAPI document. */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Answers {

    /** The record in the answer; {@code Void} for none. */
    Class<?> value() default Void.class;

    int status() default 200;

    /** Another status with the same record, 0 for none. */
    int orStatus() default 0;
}
