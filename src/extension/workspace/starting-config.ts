/** `parallax.json` of a workspace that has none yet. */
export const STARTING_CONFIG = `{
  "version": 1,
  "corpora": {
    "workspace": { "roots": ["."], "split": { "type": "words", "size": 100 } }
  },
  "pipelines": {
    "bm25": { "retriever": { "type": "bm25" }, "k": 5 },
    "hybrid": {
      "retriever": { "type": "hybrid", "retrievers": [{ "type": "bm25" }, { "type": "dense", "embedder": "hashing" }] },
      "k": 5
    }
  },
  "evalSets": []
}
`;
