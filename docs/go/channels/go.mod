module evenweave.dev/channels

go 1.19
