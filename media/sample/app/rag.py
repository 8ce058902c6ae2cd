"""Ask a question about the documents in ../docs.

    python rag.py "Should Larkspur keep its free plan?"
    python rag.py --retriever bm25 "Should Larkspur keep its free plan?"
"""

import argparse
import re
from pathlib import Path

from langchain_community.document_loaders import DirectoryLoader, TextLoader
from langchain_community.retrievers import BM25Retriever
from langchain_community.vectorstores import FAISS
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

DOCS = Path(__file__).resolve().parent.parent / "docs"

PROMPT = ChatPromptTemplate.from_template(
    """Answer the question from the passages below and from nothing else.
Where the passages disagree, give each side its due. Name the files you used.

Passages:
{passages}

Question: {question}"""
)


def load_passages() -> list[Document]:
    """The prose files, cut into passages of about a hundred words."""
    documents: list[Document] = []
    for pattern in ("**/*.md", "**/*.txt"):
        loader = DirectoryLoader(
            str(DOCS), glob=pattern, loader_cls=TextLoader, loader_kwargs={"encoding": "utf-8"}
        )
        documents.extend(loader.load())
    splitter = RecursiveCharacterTextSplitter(chunk_size=600, chunk_overlap=60)
    return splitter.split_documents(documents)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def make_retriever(kind: str, passages: list[Document]):
    if kind == "bm25":
        return BM25Retriever.from_documents(passages, preprocess_func=words, k=5)
    store = FAISS.from_documents(passages, OpenAIEmbeddings(model="text-embedding-3-small"))
    return store.as_retriever(
        search_type="mmr",
        search_kwargs={"k": 5, "fetch_k": 40, "lambda_mult": 0.75},
    )


def format_passages(passages: list[Document]) -> str:
    return "\n\n".join(
        f"[{Path(p.metadata['source']).relative_to(DOCS)}]\n{p.page_content}" for p in passages
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("question")
    parser.add_argument("--retriever", choices=["bm25", "mmr"], default="mmr")
    parser.add_argument("--passages-only", action="store_true", help="print what was retrieved")
    args = parser.parse_args()

    retriever = make_retriever(args.retriever, load_passages())
    if args.passages_only:
        print(format_passages(retriever.invoke(args.question)))
        return

    chain = (
        {"passages": retriever | format_passages, "question": RunnablePassthrough()}
        | PROMPT
        | ChatOpenAI(model="gpt-4o-mini", temperature=0)
        | StrOutputParser()
    )
    print(chain.invoke(args.question))


if __name__ == "__main__":
    main()
