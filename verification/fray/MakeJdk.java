// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.attribute.ModuleHashesAttribute;
import java.net.URI;
import java.nio.file.CopyOption;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Makes a copy of the JDK that runs this program, with a {@code jmods} folder that is rebuilt from its run-time image.
 *
 * <p>Fray instruments the JDK by linking a new image out of jmods, and several vendors ship JDK 25 without them.
 *
 * <p>Usage: {@code java MakeJdk.java TARGET_FOLDER}. Does nothing when the folder already holds a copy of this JDK.
 */
public final class MakeJdk {

    private static final CopyOption[] AS_THEY_ARE = {
        StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS
    };

    /** Classes that jlink generates itself, and does not accept twice. */
    private static final Pattern GENERATED_BY_JLINK = Pattern.compile(
            "java/lang/invoke/BoundMethodHandle\\$Species_(?!L\\.class).*|jdk/internal/module/SystemModules\\$.*");

    /** Parts of lib that belong to the image and not to a module. */
    private static final Pattern NOT_A_LIBRARY = Pattern.compile("modules|src\\.zip|jrt-fs\\.jar|server/.*\\.jsa");

    private final Path jdk = Path.of(System.getProperty("java.home"));
    private final Path target;
    private final Path work;

    private MakeJdk(Path target, Path work) {
        this.target = target;
        this.work = work;
    }

    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            System.err.println("usage: java MakeJdk.java TARGET_FOLDER");
            System.exit(2);
        }
        Path target = Path.of(args[0]).toAbsolutePath();
        Path release = Path.of(System.getProperty("java.home"), "release");
        Path done = target.resolve("jmods").resolve("made-from");
        if (Files.exists(done) && Files.mismatch(release, done) == -1) {
            return;
        }
        delete(target);
        Path work = Files.createTempDirectory("make-jdk");
        try {
            new MakeJdk(target, work).make();
            Files.copy(release, done);
        } finally {
            delete(work);
        }
    }

    private void make() throws IOException {
        copy(jdk, target, Pattern.compile("jmods/.*"));
        Files.createDirectories(target.resolve("jmods"));
        Path lib = work.resolve("lib");
        copy(jdk.resolve("lib"), lib, NOT_A_LIBRARY);

        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> all = Files.list(modules)) {
            for (Path module : (Iterable<Path>) all::iterator) {
                String name = module.getFileName().toString();
                Path classes = work.resolve("classes").resolve(name);
                copy(module, classes, GENERATED_BY_JLINK);
                dropHashes(classes.resolve("module-info.class"));
                List<String> command = new ArrayList<>(List.of("create", "--class-path", classes.toString()));
                if (name.equals("java.base")) {
                    // All libraries go into one module: jlink puts them where they were.
                    command.addAll(List.of("--libs", lib.toString()));
                    command.addAll(List.of("--config", jdk.resolve("conf").toString()));
                    command.addAll(List.of("--cmds", jdk.resolve("bin").toString()));
                }
                command.add(target.resolve("jmods").resolve(name + ".jmod").toString());
                run("jmod", command);
                delete(classes);
            }
        }
    }

    /** The hashes bind a module to the exact bytes of those that it is linked with, which change here. */
    private static void dropHashes(Path moduleInfo) throws IOException {
        ClassFile files = ClassFile.of();
        ClassTransform drop = ClassTransform.dropping(ModuleHashesAttribute.class::isInstance);
        Files.write(moduleInfo, files.transformClass(files.parse(moduleInfo), drop));
    }

    private static void run(String tool, List<String> command) throws IOException {
        int code = ToolProvider.findFirst(tool)
                .orElseThrow(() -> new IOException("this JDK has no " + tool))
                .run(System.out, System.err, command.toArray(String[]::new));
        if (code != 0) {
            throw new IOException(tool + " failed with exit code " + code + ": " + command);
        }
    }

    private static void copy(Path from, Path to, Pattern except) throws IOException {
        boolean sameFiles = from.getFileSystem().equals(to.getFileSystem());
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                Files.createDirectories(to.resolve(from.relativize(folder).toString()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String name = from.relativize(file).toString();
                if (!except.matcher(name).matches()) {
                    Files.copy(file, to.resolve(name), sameFiles ? AS_THEY_ARE : new CopyOption[0]);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path path : (Iterable<Path>) all.sorted(Comparator.reverseOrder())::iterator) {
                    Files.delete(path);
                }
            }
        }
    }
}
