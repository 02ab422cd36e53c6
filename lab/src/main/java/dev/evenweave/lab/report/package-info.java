// SPDX-License-Identifier: Apache-2.0

/**
 * The result of an experiment as data, and its forms: tables, JSON, CSV, Markdown.
 */
@NullMarked
package dev.evenweave.lab.report;

import org.jspecify.annotations.NullMarked;
