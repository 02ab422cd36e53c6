// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.frameworks;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * A Spring Boot application as anybody would write it: Tomcat with a virtual thread for each request, a pool of database
 * connections. Prints its port; ends by a signal.
 */
@SpringBootApplication
@RestController
public class SpringApp {
    private final JdbcTemplate database;

    /** Creates the tables. */
    public SpringApp(JdbcTemplate database) {
        this.database = database;
        database.execute("create table orders(id int primary key, who varchar(200))");
    }

    public static void main(String[] args) {
        SpringApplication.run(SpringApp.class, args);
    }

    @EventListener
    void started(ServletWebServerInitializedEvent event) {
        System.out.println("port " + event.getWebServer().getPort());
    }

    /** Answers with the thread that this runs on. */
    @GetMapping("/thread")
    String thread() {
        return Thread.currentThread().toString();
    }

    /** Stores an order over one of the pool's connections. */
    @GetMapping("/order")
    String order(@RequestParam("id") int id) {
        String thread = Thread.currentThread().toString();
        database.update("insert into orders values(?, ?)", id, thread);
        return String.valueOf(database.queryForObject("select who from orders where id = ?", String.class, id));
    }

    /** Answers with the number of orders. */
    @GetMapping("/orders")
    String orders() {
        return String.valueOf(database.queryForObject("select count(*) from orders", Integer.class));
    }
}
