// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.polls;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.DiscontinuedInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/*
 * Purpose. Inserts a call of Scheduler.checkpoint() before each jump back of the loops of a class.
 *
 * Which loops. Those that contain a call, and no others: in a loop without calls the checkpoint keeps the compiler from
 * unrolling and vectorizing, which costs several times the loop; with a call in it the checkpoint is lost in the noise. A loop
 * without calls that runs on for long loses its processor all the same, after a slice and a half.
 *
 * Which methods. All but class initializers (a thread in one cannot leave its carrier) and those that hold a monitor (others
 * would wait for the monitor for as long as the thread has made room).
 *
 * What stays. The call takes nothing and leaves nothing on the operand stack and has no effect on variables: the frames that
 * the compiler computed for the verifier hold at the same places, and are kept, so no other class has to be looked at. Line
 * numbers and tables of variables are kept as they are.
 */
/** Inserts checkpoints into the loops of one class. */
final class LoopPoller {
    private static final ClassDesc SCHEDULER = ClassDesc.of("dev.evenweave.scheduler.Scheduler");
    private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);

    private static final ClassFile CLASS_FILE = ClassFile.of(
            ClassFile.StackMapsOption.DROP_STACK_MAPS, // those of the original are put back
            ClassFile.DeadCodeOption.KEEP_DEAD_CODE);

    private LoopPoller() {}

    /**
     * A class with checkpoints.
     *
     * @param bytes the new class file
     * @param methods how many methods got checkpoints
     * @param loops how many jumps back
     */
    record Polled(byte[] bytes, int methods, int loops) {}

    /** The class with checkpoints, or nothing if it has no loop that gets one. */
    static Optional<Polled> poll(byte[] classFile) {
        ClassModel original = CLASS_FILE.parse(classFile);
        Map<MethodModel, BitSet> places = new IdentityHashMap<>();
        int loops = 0;
        for (MethodModel method : original.methods()) {
            BitSet jumps = places(method);
            if (!jumps.isEmpty()) {
                places.put(method, jumps);
                loops += jumps.cardinality();
            }
        }
        if (places.isEmpty()) {
            return Optional.empty();
        }
        ClassTransform transform = (builder, element) -> {
            if (element instanceof MethodModel method && method.code().isPresent()) {
                builder.transformMethod(
                        method,
                        MethodTransform.transformingCode(inserter(method, places.getOrDefault(method, new BitSet()))));
            } else {
                builder.with(element);
            }
        };
        return Optional.of(new Polled(CLASS_FILE.transformClass(original, transform), places.size(), loops));
    }

    /** The positions, among the elements of a method's code, of the jumps that get a checkpoint before them. */
    private static BitSet places(MethodModel method) {
        BitSet places = new BitSet();
        Optional<CodeModel> code = method.code();
        if (code.isEmpty()
                || method.flags().has(AccessFlag.SYNCHRONIZED)
                || method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME)) {
            return places;
        }
        List<CodeElement> elements = code.get().elementList();
        Map<Label, Integer> labels = new HashMap<>();
        int[] callsBefore = new int[elements.size() + 1];
        for (int i = 0; i < elements.size(); i++) {
            CodeElement element = elements.get(i);
            if (element instanceof MonitorInstruction || element instanceof DiscontinuedInstruction) {
                return new BitSet();
            }
            if (element instanceof LabelTarget target) {
                labels.put(target.label(), i);
            }
            boolean call = element instanceof InvokeInstruction || element instanceof InvokeDynamicInstruction;
            callsBefore[i + 1] = callsBefore[i] + (call ? 1 : 0);
            for (Label label : targets(element)) {
                Integer start = labels.get(label); // known so far: the jump goes back
                if (start != null && callsBefore[i] != callsBefore[start]) {
                    places.set(i);
                }
            }
        }
        return places;
    }

    private static List<Label> targets(CodeElement element) {
        return switch (element) {
            case BranchInstruction branch -> List.of(branch.target());
            case LookupSwitchInstruction cases -> targets(cases.defaultTarget(), cases.cases());
            case TableSwitchInstruction cases -> targets(cases.defaultTarget(), cases.cases());
            default -> List.of();
        };
    }

    private static List<Label> targets(Label defaultTarget, List<SwitchCase> cases) {
        List<Label> targets = new java.util.ArrayList<>();
        targets.add(defaultTarget);
        cases.forEach(each -> targets.add(each.target()));
        return targets;
    }

    private static CodeTransform inserter(MethodModel method, BitSet places) {
        return new CodeTransform() {
            private int next;

            @Override
            public void accept(CodeBuilder builder, CodeElement element) {
                if (places.get(next++)) {
                    builder.invokestatic(SCHEDULER, "checkpoint", NOTHING);
                }
                builder.with(element);
            }

            @Override
            public void atEnd(CodeBuilder builder) {
                method.code()
                        .flatMap(code -> code instanceof java.lang.classfile.attribute.CodeAttribute attribute
                                ? attribute.findAttribute(Attributes.stackMapTable())
                                : Optional.empty())
                        .ifPresent(builder::with);
            }
        };
    }
}
