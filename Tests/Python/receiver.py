"""An HTTP server of a test's own, to which actions send their posts."""

import http.server
import queue
import threading


class Receiver:
    """An HTTP server that keeps the requests it gets, and answers each as the script says."""

    def __init__(self):
        self.requests, self.script = [], queue.Queue()
        self.released = threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append((self.path, dict(self.headers), body))
                (receiver.script.get_nowait() if not receiver.script.empty() else answer(200))(self)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def expects(self, *answers):
        for each in answers:
            self.script.put(each)

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()


def answer(status, body=b"", **headers):
    def send(handler):
        handler.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        try:
            handler.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # The worker reads no more than it keeps.

    return send
