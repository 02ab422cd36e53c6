// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.testkit;

import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Repeats a test for each seed of {@link Interleavings}. */
final class InterleavingsExtension implements TestTemplateInvocationContextProvider {
    private static final String SEED = "evenweave.seed";

    InterleavingsExtension() {}

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        Interleavings asked = context.getRequiredTestMethod().getAnnotation(Interleavings.class);
        if (asked.seeds() < 1) {
            throw new ExtensionConfigurationException("seeds = " + asked.seeds() + ": must be at least 1");
        }
        String only = System.getProperty(SEED);
        return only != null
                ? Stream.of(invocation(parse(only)))
                : LongStream.range(asked.firstSeed(), asked.firstSeed() + asked.seeds())
                        .mapToObj(InterleavingsExtension::invocation);
    }

    private static long parse(String seed) {
        try {
            return Long.parseLong(seed);
        } catch (NumberFormatException e) {
            throw new ExtensionConfigurationException("-D" + SEED + "=" + seed + ": must be a whole number", e);
        }
    }

    private static TestTemplateInvocationContext invocation(long seed) {
        return new TestTemplateInvocationContext() {
            @Override
            public String getDisplayName(int index) {
                return "seed " + seed;
            }

            @Override
            public List<Extension> getAdditionalExtensions() {
                return List.of(new OneRun(seed));
            }
        };
    }

    private record OneRun(long seed) implements ParameterResolver, TestExecutionExceptionHandler {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Interleaving.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return Interleaving.ofSeed(seed);
        }

        /** Reports of builds show which repetition failed, not its name, which has the seed. */
        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
            System.err.println(context.getRequiredTestMethod().getName() + " failed with seed " + seed
                    + "; to run that again: -D" + SEED + "=" + seed);
            throw failure;
        }
    }
}
