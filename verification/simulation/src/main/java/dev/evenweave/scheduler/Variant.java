// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The scheduler's classes with a change: loads all of this package anew, and rewrites methods on the way. So a simulation
 * runs on the product's own code but for that change, and the product needs no hooks.
 */
final class Variant extends ClassLoader {
    static final String PACKAGE = "dev.evenweave.scheduler.";

    private final Map<String, ClassTransform> changes = new HashMap<>();

    Variant() {
        super(Variant.class.getClassLoader());
    }

    /** A class of this package, as a constant pool names it. */
    static ClassDesc type(String simpleName) {
        return ClassDesc.of(PACKAGE + simpleName);
    }

    /** Makes every method of that name with so many parameters do what {@code body} says, and nothing else. */
    Variant replaceBody(String type, String method, int parameters, Consumer<CodeBuilder> body) {
        return change(type, method, parameters, (builder, element) -> {
            if (element instanceof CodeModel) {
                builder.withCode(body);
            } else {
                builder.with(element);
            }
        });
    }

    /** Makes a method return at once: 0, false or null, if it returns anything. */
    Variant returnNothing(String type, String method, int parameters, TypeKind result) {
        return replaceBody(
                type, method, parameters, code -> pushNothing(code, result).return_(result));
    }

    /** Has a method leave one call out. The call's result, if it has one, is 0, false or null. */
    Variant skipCall(String type, String method, int parameters, String callee) {
        return changeCall(type, method, parameters, callee, (code, call) -> {
            MethodTypeDesc descriptor = call.typeSymbol();
            for (int i = descriptor.parameterCount() - 1; i >= 0; i--) {
                if (TypeKind.from(descriptor.parameterType(i)).slotSize() == 2) {
                    code.pop2();
                } else {
                    code.pop();
                }
            }
            code.pop();
            pushNothing(code, TypeKind.from(descriptor.returnType()));
        });
    }

    /** Has a method do something else in place of a call. */
    Variant changeCall(String type, String method, int parameters, String callee, CallChange change) {
        boolean[] found = new boolean[1];
        CodeTransform calls = (code, element) -> {
            if (element instanceof InvokeInstruction call && call.name().equalsString(callee)) {
                found[0] = true;
                change.apply(code, call);
            } else {
                code.with(element);
            }
        };
        CodeTransform checked = calls.andThen(CodeTransform.endHandler(code -> {
            if (!found[0]) {
                throw new IllegalArgumentException(type + "." + method + " does not call " + callee);
            }
        }));
        return change(type, method, parameters, MethodTransform.transformingCode(checked));
    }

    /** Rewrites a method's code. */
    Variant changeCode(String type, String method, int parameters, CodeTransform transform) {
        return change(type, method, parameters, MethodTransform.transformingCode(transform));
    }

    private Variant change(String type, String method, int parameters, MethodTransform transform) {
        boolean[] found = new boolean[1];
        ClassTransform change = (builder, element) -> {
            if (element instanceof MethodModel model
                    && model.methodName().equalsString(method)
                    && model.methodTypeSymbol().parameterCount() == parameters) {
                found[0] = true;
                builder.transformMethod(model, transform);
            } else {
                builder.with(element);
            }
        };
        ClassTransform checked = change.andThen(ClassTransform.endHandler(builder -> {
            if (!found[0]) {
                throw new IllegalArgumentException(type + " has no " + method + " with " + parameters + " parameters");
            }
        }));
        changes.merge(PACKAGE + type, checked, ClassTransform::andThen);
        return this;
    }

    private static CodeBuilder pushNothing(CodeBuilder code, TypeKind kind) {
        return switch (kind) {
            case VOID -> code;
            case REFERENCE -> code.aconst_null();
            case LONG -> code.lconst_0();
            default -> code.iconst_0();
        };
    }

    /** What happens in place of a call. */
    interface CallChange {
        void apply(CodeBuilder code, InvokeInstruction call);
    }

    /** Runs {@link RandomRuns#firstViolation} of these classes. */
    String firstViolation(long firstSeed, int runs, long maxEvents) {
        try {
            var search = loadClass(PACKAGE + "RandomRuns")
                    .getDeclaredMethod("firstViolation", long.class, int.class, long.class);
            search.setAccessible(true);
            return (String) search.invoke(null, firstSeed, runs, maxEvents);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PACKAGE)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            ClassTransform change = changes.get(name);
            if (change != null) {
                ClassFile files = ClassFile.of();
                bytes = files.transformClass(files.parse(bytes), change);
            }
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
