// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.examples.SynchronizationGuide.Buffer;
import dev.evenweave.examples.SynchronizationGuide.Taking;
import dev.evenweave.sync.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SynchronizationGuideTest {

    @Test
    void theSamplesDoWhatThePageSays() throws Exception {
        assertThat(SynchronizationGuide.permits()).isEqualTo(10);
        assertThat(SynchronizationGuide.asynchronous()).isEqualTo("answer");
        assertThat(SynchronizationGuide.resizedAndClosed()).contains("limit=4").contains("shutting down");
        assertThat(SynchronizationGuide.locks()).isEqualTo(1);
        assertThat(SynchronizationGuide.readsAndWrites()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void theBufferHandsOverInOrder() throws Exception {
        Buffer<Integer> buffer = new Buffer<>();
        Thread producer = Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < 100; i++) {
                    buffer.put(i);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        for (int i = 0; i < 100; i++) {
            assertThat(buffer.take()).isEqualTo(i);
        }
        producer.join();
    }

    @Test
    void theWaiterTakesWhatIsThereAndWaitsForTheNext() {
        Semaphore semaphore = new Semaphore(2);
        Taking taking = new Taking(semaphore);
        taking.take();
        assertThat(taking.taken()).isEqualTo(2);
        semaphore.release();
        assertThat(taking.taken()).isEqualTo(3);
    }
}
