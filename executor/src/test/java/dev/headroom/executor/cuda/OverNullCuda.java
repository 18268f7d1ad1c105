package dev.headroom.executor.cuda;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Tests of the null CUDA libraries, which are left out as a whole where those cannot be: {@link NullCuda#install} skips
 * a test, but not what is checked after it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIf(
        value = "dev.headroom.executor.cuda.NullCuda#isAvailable",
        disabledReason = "no null CUDA libraries: real ones are tested, or there is no compiler")
public @interface OverNullCuda {}
