// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.waitlist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.lab.waitlist.Rows.Row;
import dev.evenweave.lab.waitlist.Rows.Work;
import dev.evenweave.wait.WaitList;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InlineFirstTest {

    /** The product's storage, whose constructor is for subclasses. */
    private static final class Arena extends WaitList {}

    @AfterEach
    void productStorage() {
        WaitList.replaceStorage(null);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void behavesAsTheArenaDoes(long seed) {
        Random random = new Random(seed);
        WaitList arena = new Arena();
        WaitList inline = new InlineFirst();
        List<int[]> owned = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            int kind = random.nextInt(6);
            if (owned.isEmpty() || (kind == 0 && owned.size() < 4)) {
                String name = "waiter " + i;
                int list = random.nextInt(2);
                arena.reserve();
                inline.reserve();
                owned.add(
                        random.nextBoolean()
                                ? new int[] {arena.add(list, i, 1, name), inline.add(list, i, 1, name)}
                                : new int[] {arena.addFirst(list, i, 1, name), inline.addFirst(list, i, 1, name)});
            } else {
                int[] ids = owned.get(random.nextInt(owned.size()));
                switch (kind) {
                    case 1 -> {
                        arena.unlink(ids[0]);
                        inline.unlink(ids[1]);
                    }
                    case 2 -> {
                        arena.move(ids[0], WaitList.WOKEN);
                        inline.move(ids[1], WaitList.WOKEN);
                    }
                    case 3 -> {
                        arena.need(ids[0], i);
                        inline.need(ids[1], i);
                    }
                    default -> {
                        arena.unlink(ids[0]);
                        inline.unlink(ids[1]);
                        arena.free(ids[0]);
                        inline.free(ids[1]);
                        owned.remove(ids);
                    }
                }
            }
            for (int[] ids : owned) {
                assertThat(inline.need(ids[1])).isEqualTo(arena.need(ids[0]));
                assertThat(inline.want(ids[1])).isEqualTo(arena.want(ids[0]));
                assertThat(inline.waiter(ids[1])).isEqualTo(arena.waiter(ids[0]));
            }
            for (int list = 0; list < 2; list++) {
                assertThat(waiters(inline, list)).isEqualTo(waiters(arena, list));
                assertThat(inline.isEmpty(list)).isEqualTo(arena.isEmpty(list));
            }
        }
    }

    private static List<@Nullable Object> waiters(WaitList from, int list) {
        List<@Nullable Object> waiters = new ArrayList<>();
        for (int id = from.first(list); id != 0; id = from.next(list, id)) {
            waiters.add(from.waiter(id));
        }
        return waiters;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyRowDoesWhatItsNameSaysWithEitherStorage(boolean inline) throws Exception {
        if (inline) {
            WaitList.replaceStorage(InlineFirst::new);
        }
        for (Supplier<List<Row>> group : Rows.groups().values()) {
            for (Row row : group.get()) {
                for (int i = 0; i < 3; i++) {
                    Work work = row.before() != null ? row.before().get() : row.work();
                    work.run();
                }
            }
        }
    }
}
