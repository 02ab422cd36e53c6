// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.polls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LoopPollerTest {

    @Test
    void onlyLoopsWithACallGetACheckpoint() throws Exception {
        LoopPoller.Polled polled = poll(Loops.class);
        assertThat(checkpoints(polled.bytes()))
                .containsEntry("withCall", 1)
                .containsEntry("withoutCall", 0)
                .containsEntry("callBehindTheLoop", 0)
                .containsEntry("nested", 1)
                .containsEntry("doWhile", 1)
                .containsEntry("straight", 0)
                .containsEntry("switching", 2);
        assertThat(polled.methods()).isEqualTo(4);
        assertThat(polled.loops()).isEqualTo(5);
    }

    @Test
    void methodsThatHoldAMonitorAndClassInitializersAreLeftAlone() throws Exception {
        assertThat(checkpoints(poll(Loops.class).bytes()))
                .containsEntry("isSynchronized", 0)
                .containsEntry("hasSynchronizedBlock", 0)
                .containsEntry("<clinit>", 0);
    }

    @Test
    void aClassWithoutSuchLoopsIsLeftAlone() throws Exception {
        assertThat(LoopPoller.poll(bytes(Nothing.class))).isEmpty();
    }

    @Test
    void theVerifierHasNothingAgainstIt() throws Exception {
        assertThat(ClassFile.of().verify(poll(Loops.class).bytes())).isEmpty();
    }

    @Test
    void theCodeDoesWhatItDid() throws Exception {
        Class<?> polled = new ClassLoader(LoopPollerTest.class.getClassLoader()) {
            Class<?> define(byte[] bytes) {
                return defineClass(Loops.class.getName(), bytes, 0, bytes.length);
            }
        }.define(poll(Loops.class).bytes());
        for (String method : new String[] {"withCall", "nested", "doWhile", "switching"}) {
            assertThat(polled.getDeclaredMethod(method, int.class).invoke(null, 10))
                    .as(method)
                    .isEqualTo(Loops.class.getDeclaredMethod(method, int.class).invoke(null, 10));
        }
    }

    @Test
    void lineNumbersAndNamesOfVariablesAreKept() throws Exception {
        ClassModel before = ClassFile.of().parse(bytes(Loops.class));
        ClassModel after = ClassFile.of().parse(poll(Loops.class).bytes());
        for (var method : before.methods()) {
            var other = after.methods().stream()
                    .filter(each -> each.methodName().equals(method.methodName()))
                    .findFirst()
                    .orElseThrow();
            assertThat(lines(other.code().orElseThrow()))
                    .isEqualTo(lines(method.code().orElseThrow()));
            assertThat(variables(other.code().orElseThrow()))
                    .isEqualTo(variables(method.code().orElseThrow()));
        }
    }

    private static Object lines(CodeModel code) {
        return ((CodeAttribute) code)
                .findAttribute(Attributes.lineNumberTable())
                .map(table -> table.lineNumbers().stream()
                        .map(line -> line.lineNumber())
                        .toList())
                .orElseThrow();
    }

    private static Object variables(CodeModel code) {
        return ((CodeAttribute) code)
                .findAttribute(Attributes.localVariableTable())
                .map(table -> table.localVariables().stream()
                        .map(variable -> variable.name().stringValue() + variable.slot())
                        .sorted()
                        .toList());
    }

    private static LoopPoller.Polled poll(Class<?> type) throws Exception {
        return LoopPoller.poll(bytes(type)).orElseThrow();
    }

    private static byte[] bytes(Class<?> type) throws Exception {
        String file = type.getName().replace('.', '/') + ".class";
        try (InputStream in = type.getClassLoader().getResourceAsStream(file)) {
            return in.readAllBytes();
        }
    }

    private static Map<String, Integer> checkpoints(byte[] bytes) {
        Map<String, Integer> counts = new TreeMap<>();
        for (var method : ClassFile.of().parse(bytes).methods()) {
            int count = 0;
            for (var element : method.code().orElseThrow()) {
                if (element instanceof InvokeInstruction call && call.name().equalsString("checkpoint")) {
                    count++;
                }
            }
            counts.put(method.methodName().stringValue(), count);
        }
        return counts;
    }

    private static final class Nothing {
        static int sum(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                sum += i;
            }
            return sum;
        }
    }

    /** The kinds of loops. */
    @SuppressWarnings("unused") // by reflection
    public static final class Loops {
        static final int SUM;

        static {
            int sum = 0;
            for (int i = 0; i < 3; i++) {
                sum += Integer.bitCount(i);
            }
            SUM = sum;
        }

        public static int withCall(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                sum += Integer.bitCount(i);
            }
            return sum;
        }

        public static int withoutCall(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                sum += i;
            }
            return sum;
        }

        public static int callBehindTheLoop(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                sum += i;
            }
            return Integer.bitCount(sum);
        }

        /** The inner loop has no call; the outer one has one outside of it. */
        public static int nested(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    sum += j;
                }
                sum += Integer.bitCount(sum);
            }
            return sum;
        }

        public static int doWhile(int n) {
            int sum = 0;
            long left = n;
            do {
                sum += Long.bitCount(left);
            } while (--left > 0);
            return sum;
        }

        public static int straight(int n) {
            return n > 3 ? Integer.bitCount(n) : -1;
        }

        /** A continue inside of a switch jumps back, too. */
        public static int switching(int n) {
            int sum = 0;
            int i = 0;
            while (true) {
                i++;
                if (i > n) {
                    return sum;
                }
                switch (i % 3) {
                    case 0 -> {
                        sum += Integer.bitCount(i);
                        continue;
                    }
                    default -> sum++;
                }
                sum += Integer.bitCount(sum);
            }
        }

        static synchronized int isSynchronized(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                sum += Integer.bitCount(i);
            }
            return sum;
        }

        static int hasSynchronizedBlock(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                synchronized (Loops.class) {
                    sum += Integer.bitCount(i);
                }
            }
            return sum;
        }
    }
}
