"""The HTTP server of a witness in the house. Add a TLS proxy outside a trusted network."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cutcard.transparency.witness import MOST_BODY, Reply, Witness

ADD = "/add-checkpoint"
IDLE = 30.0  # seconds after which an idle client is disconnected


class WitnessServer(ThreadingHTTPServer):
    """The HTTP server of one witness; `server_address` has the port."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], witness: Witness) -> None:
        super().__init__(address, _Handler)
        self.witness = witness


class _Handler(BaseHTTPRequestHandler):
    server: WitnessServer
    timeout = IDLE
    protocol_version = "HTTP/1.1"
    server_version = "cutcard-witness"

    def do_POST(self) -> None:
        said = self.headers.get("Content-Length", "")
        length = int(said) if said.isdigit() and len(said) < 9 else -1
        if self.path != ADD:
            self._reply(Reply(404, "a witness answers add-checkpoint only\n"))
        elif not 0 <= length <= MOST_BODY:
            self._reply(Reply(400, "the request has no length, or is too long\n"))
        else:
            self._reply(self.server.witness.add_checkpoint(self.rfile.read(length)))

    def _reply(self, reply: Reply) -> None:
        body = reply.body.encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(body)))
        if reply.status != 200:
            self.close_connection = True
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing, because the folder has the accepted checkpoints."""
