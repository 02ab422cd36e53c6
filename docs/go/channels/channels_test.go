// SPDX-License-Identifier: Apache-2.0

// The rows of dev.evenweave.benchmarks.channel in Go, to run beside them:
//
//	go test -bench . -cpu 1,2 -count 5
package channels

import "testing"

// A value goes over one channel and comes back over another.
func BenchmarkPingPong(b *testing.B) {
	there, back := make(chan int), make(chan int)
	go func() {
		for v := range there {
			back <- v
		}
	}()
	for i := 0; i < b.N; i++ {
		there <- i
		<-back
	}
	close(there)
}

// Elements from one goroutine to another, over a buffer of 128.
func BenchmarkStream128(b *testing.B) { stream(b, 1, 1) }

// The same from four goroutines to four.
func BenchmarkFourToFour128(b *testing.B) { stream(b, 4, 4) }

func stream(b *testing.B, senders, receivers int) {
	c := make(chan int, 128)
	sent, received := make(chan bool), make(chan bool)
	for k := 0; k < receivers; k++ {
		go func() {
			for range c {
			}
			received <- true
		}()
	}
	for k := 0; k < senders; k++ {
		n := (b.N + k) / senders
		go func() {
			for i := 0; i < n; i++ {
				c <- i
			}
			sent <- true
		}()
	}
	for k := 0; k < senders; k++ {
		<-sent
	}
	close(c)
	for k := 0; k < receivers; k++ {
		<-received
	}
}

// Two cases, one of them ready: with the send that makes it so.
func BenchmarkSelectReady(b *testing.B) {
	c, never := make(chan int, 1), make(chan int)
	for i := 0; i < b.N; i++ {
		c <- i
		select {
		case <-c:
		case <-never:
		}
	}
}

// Ping-pong where both sides receive by a select with two cases.
func BenchmarkSelectPingPong(b *testing.B) {
	there, back, never, stop := make(chan int), make(chan int), make(chan int), make(chan bool)
	go func() {
		for {
			select {
			case v := <-there:
				back <- v
			case <-stop:
				return
			}
		}
	}()
	for i := 0; i < b.N; i++ {
		there <- i
		select {
		case <-back:
		case <-never:
		}
	}
	close(stop)
}

// A token round a ring of 1000 goroutines, per hop.
func BenchmarkRing1000(b *testing.B) {
	first := make(chan int)
	in := first
	for i := 0; i < 999; i++ {
		out := make(chan int)
		go func(in, out chan int) {
			for v := range in {
				out <- v
			}
			close(out)
		}(in, out)
		in = out
	}
	b.ResetTimer()
	for i := 0; i < b.N; i += 1000 {
		first <- i
		<-in
	}
	b.StopTimer()
	close(first)
}
