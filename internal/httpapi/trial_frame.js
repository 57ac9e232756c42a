"use strict";
// Calls a server of the member's own, as the page above says, and hands back what comes. One channel for each call.
addEventListener("message", (event) => {
  if (event.source !== parent || !event.ports[0]) return;
  const port = event.ports[0];
  const stop = new AbortController();
  let taken = () => {};
  port.onmessage = ({ data }) => (data === "more" ? taken() : stop.abort());
  // The next piece is read when the page has taken the last one, so that a fast server fills no memory.
  const give = (text) => new Promise((done) => {
    taken = done;
    port.postMessage({ text });
  });
  ask(event.data, port, stop.signal, give).catch(() => port.postMessage({ failed: stop.signal.aborted ? "stopped" : "unreachable" }));
});

async function ask({ url, method, headers, body }, port, signal, give) {
  const reply = await fetch(url, { method, headers, body, signal, mode: "cors", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer", cache: "no-store" });
  port.postMessage({ status: reply.status, type: reply.headers.get("Content-Type") ?? "" });
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let left = 32 << 20;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return port.postMessage({ end: true });
    if ((left -= value.length) < 0) return stop(port, reader);
    await give(value);
  }
}

function stop(port, reader) {
  void reader.cancel();
  port.postMessage({ failed: "too_long" });
}

parent.postMessage("stoa-trial-ready", "*");
