// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Repeats a JUnit test with an {@link Interleaving} per seed, which the method takes as its parameter.
 *
 * <p>{@code -Devenweave.seed=N} runs the one seed N, as the message of a failure names it.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@ExtendWith(InterleavingsExtension.class)
public @interface Interleavings {
    /**
     * How many seeds.
     *
     * @return the number, at least 1
     */
    int seeds() default 100;

    /**
     * The first seed.
     *
     * @return the seed; the others follow it
     */
    long firstSeed() default 0;
}
