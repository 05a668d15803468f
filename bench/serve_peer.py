"""The plain endpoint that `tenor serve` is measured beside: FastAPI and sentence-transformers.

    python bench/serve_peer.py MODEL PORT [--kind def|async]

``def`` lets FastAPI call the model from its pool of threads, ``async`` calls it in the event loop, one text
at a time. Run in an environment of its own by bench/serve.py, which takes the better of the two.
"""

import argparse

import torch
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sentence_transformers import SentenceTransformer


class Texts(BaseModel):
    texts: list[str]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("port", type=int)
    parser.add_argument("--kind", choices=["def", "async"], default="def")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    model = SentenceTransformer(options.model, device="cpu")
    model.encode(["Ready."])
    app = FastAPI()

    def embed(body: Texts):
        return {"vectors": model.encode(body.texts, show_progress_bar=False).tolist()}

    async def embed_in_loop(body: Texts):
        return embed(body)

    app.post("/api/embed")(embed if options.kind == "def" else embed_in_loop)
    uvicorn.run(app, host="127.0.0.1", port=options.port, log_level="error", access_log=False)


if __name__ == "__main__":
    main()
