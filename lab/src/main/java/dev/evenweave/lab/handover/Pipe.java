// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.handover;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A pipe of the operating system that is read and written by calls to the C library, of which the JDK knows nothing: reading
 * blocks the carrier until something has been written.
 */
final class Pipe {
    private static final MethodHandle PIPE =
            function("pipe", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    private static final FunctionDescriptor TRANSFER = FunctionDescriptor.of(
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
    private static final MethodHandle READ = function("read", TRANSFER);
    private static final MethodHandle WRITE = function("write", TRANSFER);

    private final MemorySegment buffer = Arena.global().allocate(1);
    private final int from;
    private final int to;

    Pipe() {
        MemorySegment ends = Arena.global().allocate(ValueLayout.JAVA_INT, 2);
        try {
            if ((int) PIPE.invokeExact(ends) != 0) {
                throw new IllegalStateException("pipe() failed");
            }
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        from = ends.getAtIndex(ValueLayout.JAVA_INT, 0);
        to = ends.getAtIndex(ValueLayout.JAVA_INT, 1);
    }

    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
    }

    void read() {
        transfer(READ, from);
    }

    void write() {
        transfer(WRITE, to);
    }

    private void transfer(MethodHandle call, int end) {
        try {
            if ((long) call.invokeExact(end, buffer, 1L) != 1) {
                throw new IllegalStateException("a pipe that is open failed");
            }
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
