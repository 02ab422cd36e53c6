// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.stepping;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Loads the wait and sync packages with a step before every access to a field or an array element and before every call;
 * and, for a broken twin, with one call left out.
 */
final class SteppedClasses extends ClassLoader {
    private static final ClassDesc STEPS = ClassDesc.of("dev.evenweave.stepping.Steps");
    private static final MethodTypeDesc STEP = MethodTypeDesc.of(ConstantDescs.CD_void);

    /**
     * A call to leave out.
     *
     * @param type the simple name of the class
     * @param method the method that calls
     * @param called the name of the method that is not called
     */
    record Omission(String type, String method, String called) {
        static final Omission NONE = new Omission("", "", "");
    }

    private final Omission omission;
    private int omitted;

    SteppedClasses(Omission omission) {
        super(SteppedClasses.class.getClassLoader());
        this.omission = omission;
    }

    /** How many calls were left out in the classes loaded so far. */
    int omitted() {
        return omitted;
    }

    /** @param name of a class in SteppedScenarios, or with what comes after that name: {@code Coordination$Latch} */
    Scenario scenario(String name) throws ReflectiveOperationException {
        String separator = name.contains("$") ? "" : "$";
        Class<?> type = loadClass("dev.evenweave.sync.SteppedScenarios" + separator + name);
        var constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        return (Scenario) constructor.newInstance();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        boolean product = name.startsWith("dev.evenweave.wait.") || name.startsWith("dev.evenweave.sync.");
        if (!product || name.equals("dev.evenweave.wait.Parker")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                byte[] bytes = bytes(name);
                if (!name.startsWith("dev.evenweave.sync.SteppedScenarios")) {
                    bytes = stepped(bytes);
                }
                loaded = defineClass(name, bytes, 0, bytes.length);
            }
            return loaded;
        }
    }

    private byte[] bytes(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] stepped(byte[] bytes) {
        ClassModel model = ClassFile.of().parse(bytes);
        String internal = model.thisClass().asInternalName();
        String simple = internal.substring(internal.lastIndexOf('/') + 1);
        return ClassFile.of().transformClass(model, transform(simple));
    }

    private ClassTransform transform(String type) {
        return (builder, element) -> {
            if (element instanceof MethodModel method && !method.methodName().equalsString("<clinit>")) {
                boolean broken =
                        type.equals(omission.type()) && method.methodName().equalsString(omission.method());
                builder.transformMethod(method, MethodTransform.transformingCode(code(broken)));
            } else {
                builder.with(element);
            }
        };
    }

    private CodeTransform code(boolean broken) {
        return (builder, element) -> {
            if (broken
                    && element instanceof InvokeInstruction call
                    && call.name().equalsString(omission.called())) {
                omitted++;
                leaveOut(builder, call);
                return;
            }
            if (isAccess(element)) {
                builder.invokestatic(STEPS, "step", STEP);
            }
            builder.with(element);
        };
    }

    private static boolean isAccess(CodeElement element) {
        return element instanceof FieldInstruction
                || element instanceof ArrayLoadInstruction
                || element instanceof ArrayStoreInstruction
                || (element instanceof InvokeInstruction call && !call.name().equalsString("<init>"));
    }

    private static void leaveOut(CodeBuilder builder, InvokeInstruction call) {
        MethodTypeDesc type = call.typeSymbol();
        for (int i = type.parameterCount() - 1; i >= 0; i--) {
            if (TypeKind.from(type.parameterType(i)).slotSize() == 2) {
                builder.pop2();
            } else {
                builder.pop();
            }
        }
        if (call.opcode() != Opcode.INVOKESTATIC) {
            builder.pop();
        }
        switch (TypeKind.from(type.returnType()).asLoadable()) {
            case INT -> builder.iconst_0();
            case LONG -> builder.lconst_0();
            case REFERENCE -> builder.aconst_null();
            case VOID -> {}
            default -> throw new IllegalArgumentException("no default for " + call);
        }
    }
}
