m $B/passage-analyzer.ts "&& length > 0 && classes" "&& classes" $T/passage-analyzer.test.ts
m $B/passage-analyzer.ts "this.#reserve(0, words.length);" "" $T/passage-analyzer.test.ts
m $B/term-table.ts "same < length && " "same < length - 1 && " $T/passage-analyzer.test.ts
m $B/segment-file.ts "code & 1 ? 1 : this.varint()" "1" $T/bm25-index.test.ts
m $B/segment-builder.ts "this.#tally[id] = 0;" "" $T/bm25-index.test.ts
m $B/segment.ts "return low;" "return low - 1;" $T/scores.test.ts
m $B/bm25-index.ts "this.#unsealed.shift();" "this.#unsealed.shift(); this.#unsealed.length = 0;" $T/bm25-index.test.ts
m $B/bm25-index.ts "const segment = await builder.seal(pace);" "this.#unsealed.shift(); const segment = await builder.seal(pace);" $T/bm25-index.test.ts
m $B/durable-file.ts "await rm(temporary, { force: true });" "" $T/bm25-index.test.ts
