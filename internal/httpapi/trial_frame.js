"use strict";
// Asks one model server, as the page above says, and hands back what comes. One channel for each question.
addEventListener("message", (event) => {
  if (event.source !== parent || !event.ports[0]) return;
  const port = event.ports[0];
  const stop = new AbortController();
  port.onmessage = () => stop.abort();
  ask(event.data, port, stop.signal).catch(() => port.postMessage({ failed: stop.signal.aborted ? "stopped" : "unreachable" }));
});

async function ask({ url, key, body }, port, signal) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  if (key) headers.Authorization = `Bearer ${key}`;
  const reply = await fetch(url, { method: "POST", headers, body, signal, mode: "cors", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer", cache: "no-store" });
  port.postMessage({ status: reply.status, type: reply.headers.get("Content-Type") ?? "" });
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let left = 16 << 20;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return port.postMessage({ end: true });
    if ((left -= value.length) < 0) return stop(port, reader);
    port.postMessage({ text: value });
  }
}

function stop(port, reader) {
  void reader.cancel();
  port.postMessage({ failed: "too_long" });
}

parent.postMessage("stoa-trial-ready", "*");
