// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Variant.type;

import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The product with one thing broken each. */
final class Mutants {
    private static final ClassDesc RUNNABLE = ClassDesc.of("java.lang.Runnable");

    private Mutants() {}

    static Map<String, Supplier<Variant>> all() {
        Map<String, Supplier<Variant>> all = new LinkedHashMap<>();
        all.put(
                "requests are not honoured",
                () -> new Variant()
                        .changeCall(
                                "Decision",
                                "next",
                                1,
                                "takeAsked",
                                (code, call) -> code.with(call).pop().iconst_0()));
        all.put("no requests are made", () -> new Variant().returnNothing("MonitorRules", "request", 1, TypeKind.VOID));
        all.put(
                "processors are not handed over",
                () -> new Variant().returnNothing("MonitorRules", "handOver", 2, TypeKind.BOOLEAN));
        all.put(
                "every 61st slice is like any other",
                () -> new Variant().returnNothing("Worker", "isGlobalTurn", 0, TypeKind.BOOLEAN));
        all.put("wake-ups are not throttled", Mutants::unthrottled);
        all.put("a ring has two producers", Mutants::twoProducers);
        all.put(
                "a spinner that finds work is still counted",
                () -> new Variant().skipCall("Dispatcher", "stopSpinning", 1, "getAndAdd"));
        all.put("lost requests are not counted", () -> new Variant().skipCall("Worker", "clearMark", 1, "increment"));
        all.put(
                "a spill forgets the newcomer",
                () -> new Variant()
                        .changeCall(
                                "Dispatcher",
                                "spill",
                                2,
                                "addAll",
                                (code, call) -> code.iconst_1().isub().with(call)));
        all.put(
                "run-next is looked at, not taken",
                () -> new Variant()
                        .replaceBody(
                                "RunQueue",
                                "takeRunNext",
                                0,
                                code -> code.aload(0)
                                        .invokevirtual(type("RunQueue"), "peekRunNext", MethodTypeDesc.of(RUNNABLE))
                                        .areturn()));
        all.put("the hog keeps its right to run", Mutants::hogKeepsProcessor);
        all.put(
                "a thief turns to each run-next in turn",
                () -> new Variant().returnNothing("Decision", "stillStands", 1, TypeKind.BOOLEAN));
        all.put(
                "what is stolen stays where it was",
                () -> new Variant()
                        .changeCall(
                                "RunQueue",
                                "stealFrom",
                                1,
                                "compareAndSet",
                                (code, call) -> code.pop().pop().pop().pop().iconst_1()));
        return all;
    }

    /** Every submission wakes a carrier while a processor is idle, and counts it. */
    private static Variant unthrottled() {
        return new Variant().changeCode("Dispatcher", "wakeOne", 0, (code, element) -> {
            if (element instanceof FieldInstruction field
                    && field.opcode() == Opcode.GETFIELD
                    && field.name().equalsString("spinning")
                    && field.typeSymbol().equals(ConstantDescs.CD_int)) {
                code.pop().iconst_0();
            } else if (element instanceof InvokeInstruction call && call.name().equalsString("compareAndSet")) {
                code.swap()
                        .pop()
                        .invokevirtual(
                                ConstantDescs.CD_VarHandle,
                                "getAndAdd",
                                MethodTypeDesc.of(ConstantDescs.CD_int, type("Dispatcher"), ConstantDescs.CD_int))
                        .pop()
                        .iconst_1();
            } else {
                code.with(element);
            }
        });
    }

    /** What a carrier takes from the global queue goes into the ring of the first carrier. */
    private static Variant twoProducers() {
        return new Variant().changeCall("Decision", "pollGlobalShare", 1, "offer", (code, call) -> {
            int task = code.allocateLocal(TypeKind.REFERENCE);
            code.astore(task)
                    .pop()
                    .aload(0)
                    .getfield(type("Decision"), "dispatcher", type("Dispatcher"))
                    .getfield(type("Dispatcher"), "workers", type("Worker").arrayType())
                    .iconst_0()
                    .aaload()
                    .getfield(type("Worker"), "queue", type("RunQueue"))
                    .aload(task)
                    .with(call);
        });
    }

    private static Variant hogKeepsProcessor() {
        return new Variant().changeCode("Dispatcher", "handOver", 3, (code, element) -> {
            if (element instanceof FieldInstruction field
                    && field.opcode() == Opcode.PUTFIELD
                    && field.name().equalsString("processor")) {
                code.pop2();
            } else {
                code.with(element);
            }
        });
    }
}
