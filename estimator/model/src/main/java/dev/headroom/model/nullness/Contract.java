package dev.headroom.model.nullness;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Tells NullAway what a method's result has to do with its arguments, such as {@code !null -> !null}: {@code null}
 * comes out only where {@code null} goes in.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Contract {
    /** Of each argument {@code !null} or {@code _} (anything), an arrow, and what is then true of the result. */
    String value();
}
