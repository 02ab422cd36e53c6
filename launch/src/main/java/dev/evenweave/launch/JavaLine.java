// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Understands the words after "java" as far as needed to start the same program through a launcher: which are options
 * of the JVM, what the class path is, what is to be started. The rules are those of the java command's manual page: options
 * with a value in the next word, @argument files, -jar after which options may go on.
 */
/**
 * A java command line, taken apart.
 *
 * @param options the JVM's options, without class path and without what is started
 * @param classPath the class path, if one was given
 * @param start what is started; empty for a line that only asks something of the JVM, such as {@code -version}
 */
record JavaLine(List<String> options, Optional<String> classPath, Optional<ProgramStart> start) {

    private static final Set<String> CLASS_PATH = Set.of("-cp", "-classpath", "--class-path");
    private static final Set<String> MODULE = Set.of("-m", "--module");

    /** Options whose value is the next word. */
    private static final Set<String> WITH_VALUE = Set.of(
            "-p",
            "--module-path",
            "--upgrade-module-path",
            "--add-modules",
            "--limit-modules",
            "--add-exports",
            "--add-opens",
            "--add-reads",
            "--patch-module",
            "--enable-native-access",
            "--describe-module",
            "-d",
            "--source");

    JavaLine {
        options = List.copyOf(options);
    }

    /** Takes a command line apart; {@code words} are those after "java". */
    static JavaLine parse(List<String> words) throws BadOption {
        return new Parser(words).parse();
    }

    private static final class Parser {
        private final List<String> words;
        private final List<String> options = new ArrayList<>();
        private @Nullable String classPath;
        private int next;
        private boolean expands = true;

        Parser(List<String> words) {
            this.words = new ArrayList<>(words);
        }

        JavaLine parse() throws BadOption {
            boolean jar = false;
            boolean source = false;
            while (next < words.size()) {
                String word = words.get(next++);
                if (word.startsWith("@@") && expands) {
                    return line(program(word.substring(1), jar, source));
                } else if (word.startsWith("@") && expands) {
                    expand(word);
                } else if (!word.startsWith("-")) {
                    return line(program(word, jar, source));
                } else if (CLASS_PATH.contains(word)) {
                    classPath = value(word);
                } else if (word.startsWith("--class-path=")) {
                    classPath = word.substring("--class-path=".length());
                } else if (word.equals("-jar")) {
                    jar = true;
                } else if (MODULE.contains(word)) {
                    return line(new ProgramStart(ProgramStart.Mode.MODULE, value(word), rest()));
                } else if (word.startsWith("--module=")) {
                    return line(
                            new ProgramStart(ProgramStart.Mode.MODULE, word.substring("--module=".length()), rest()));
                } else if (word.equals("--disable-@files")) {
                    expands = false;
                    options.add(word);
                } else {
                    source |= word.equals("--source") || word.startsWith("--source=");
                    options.add(word);
                    if (WITH_VALUE.contains(word)) {
                        options.add(value(word));
                    }
                }
            }
            if (jar) {
                throw new BadOption("-jar needs the name of a jar file after it");
            }
            return line(null);
        }

        private JavaLine line(@Nullable ProgramStart start) {
            return new JavaLine(options, Optional.ofNullable(classPath), Optional.ofNullable(start));
        }

        private ProgramStart program(String word, boolean jar, boolean source) {
            if (jar) {
                return new ProgramStart(ProgramStart.Mode.JAR, word, rest());
            }
            if (source || word.endsWith(".java") && Files.isRegularFile(Path.of(word))) {
                return new ProgramStart(ProgramStart.Mode.SOURCE, word, rest());
            }
            return new ProgramStart(ProgramStart.Mode.CLASS, word, rest());
        }

        private List<String> rest() {
            return words.subList(next, words.size());
        }

        private String value(String option) throws BadOption {
            if (next == words.size()) {
                throw new BadOption(option + " needs a value after it");
            }
            return words.get(next++);
        }

        /** Puts the words of an argument file in its place. */
        private void expand(String word) throws BadOption {
            Path file = Path.of(word.substring(1));
            try {
                List<String> read = ArgumentFile.words(Files.readString(file, Charset.defaultCharset()));
                words.remove(--next);
                words.addAll(next, read);
            } catch (IOException e) {
                throw new BadOption("cannot read the argument file " + file + ": " + e);
            }
        }
    }
}
