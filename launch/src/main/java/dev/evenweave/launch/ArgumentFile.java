// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import java.util.ArrayList;
import java.util.List;

/** Reads the argument files of the java command: words between blanks, quotes, # comments, a backslash before a line's end. */
final class ArgumentFile {
    private ArgumentFile() {}

    static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean inWord = false;
        char quote = 0;
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '\\' && quote != 0 && at < text.length()) {
                at = escaped(text, at, word);
            } else if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                } else {
                    word.append(c);
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
                inWord = true;
            } else if (Character.isWhitespace(c)) {
                if (inWord) {
                    words.add(word.toString());
                    word.setLength(0);
                    inWord = false;
                }
            } else if (c == '#' && !inWord) {
                while (at < text.length() && text.charAt(at) != '\n') {
                    at++;
                }
            } else {
                word.append(c);
                inWord = true;
            }
        }
        if (inWord) {
            words.add(word.toString());
        }
        return words;
    }

    /** Inside quotes: the usual letters, a line's end with the blanks after it (nothing), or the character itself. */
    private static int escaped(String text, int at, StringBuilder word) {
        char c = text.charAt(at++);
        switch (c) {
            case 'n' -> word.append('\n');
            case 'r' -> word.append('\r');
            case 't' -> word.append('\t');
            case 'f' -> word.append('\f');
            case '\r', '\n' -> {
                while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                    at++;
                }
            }
            default -> word.append(c);
        }
        return at;
    }
}
