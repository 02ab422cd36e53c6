// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.frameworks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Many virtual threads share the few connections of a HikariCP pool to an embedded database. Moves money between accounts,
 * and prints what is there afterwards, how many transfers a second there were, and which threads made them.
 */
public final class DatabaseProgram {
    private static final int ACCOUNTS = 100;
    private static final int CONNECTIONS = 4;

    private DatabaseProgram() {}

    /** Threads, transfers of each, and how often all of this is done, of which the last time counts (1 without). */
    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        int transfers = Integer.parseInt(args[1]);
        int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 1;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:bank;LOCK_TIMEOUT=60000");
        config.setMaximumPoolSize(CONNECTIONS);
        config.setConnectionTimeout(60_000);
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            open(pool);
            List<Future<String>> done = List.of();
            double seconds = 0;
            for (int i = 0; i < rounds; i++) {
                long start = System.nanoTime();
                done = round(pool, threads, transfers);
                seconds = (System.nanoTime() - start) / 1e9;
            }
            for (Future<String> each : done) {
                System.out.println("thread " + each.get());
            }
            System.out.println("sum " + sum(pool));
            System.out.println("transfersPerSecond " + threads * transfers / seconds + " 1/s");
        }
        System.out.println("closed");
    }

    private static List<Future<String>> round(HikariDataSource pool, int threads, int transfers) {
        List<Future<String>> done = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < threads; i++) {
                int thread = i;
                done.add(executor.submit(() -> {
                    for (int k = 0; k < transfers; k++) {
                        int from = (thread * 31 + k * 7) % ACCOUNTS;
                        transfer(pool, from, (from + 1 + k % (ACCOUNTS - 1)) % ACCOUNTS);
                    }
                    return Thread.currentThread().toString();
                }));
            }
        }
        return done;
    }

    private static void open(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table account(id int primary key, balance bigint)");
            statement.execute("insert into account select x - 1, 1000 from system_range(1, " + ACCOUNTS + ")");
            connection.commit();
        }
    }

    private static void transfer(HikariDataSource pool, int from, int to) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement add =
                        connection.prepareStatement("update account set balance = balance + ? where id = ?")) {
            // Always the lower one first, so that no two wait for each other.
            change(add, Math.min(from, to), from < to ? -1 : 1);
            change(add, Math.max(from, to), from < to ? 1 : -1);
            connection.commit();
        }
    }

    private static void change(PreparedStatement add, int account, int amount) throws SQLException {
        add.setLong(1, amount);
        add.setInt(2, account);
        if (add.executeUpdate() != 1) {
            throw new SQLException("no account " + account);
        }
    }

    private static long sum(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement query = connection.prepareStatement("select sum(balance) from account");
                ResultSet result = query.executeQuery()) {
            result.next();
            return result.getLong(1);
        }
    }
}
