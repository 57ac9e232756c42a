/**
 * Calls to servers of the member's own, such as their model server or their bot. The pages may connect to nowhere but Stoa, and
 * stay so: a document without an origin of its own makes the calls (internal/httpapi/trial_frame.go).
 */
export interface OutsideCall {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** What comes of a call, in this order: the status, pieces of text, the end; or why it failed. */
export type OutsideNews = { status: number; type: string } | { text: string } | { end: true } | { failed: 'unreachable' | 'too_long' | 'stopped' };

/** Begins a call. What is answered stops it, and must be called when its end has come, too. */
export async function callOutside(call: OutsideCall, tell: (news: OutsideNews) => void): Promise<() => void> {
  const target = await frame();
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<OutsideNews>) => {
    tell(data);
    if ('text' in data) port1.postMessage('more');
  };
  target.postMessage(call, '*', [port2]);
  return () => {
    port1.postMessage('stop');
    port1.onmessage = null;
  };
}

let ready: Promise<Window> | undefined;

/** The document without an origin, made once. */
function frame(): Promise<Window> {
  return (ready ??= new Promise((resolve) => {
    const element = document.createElement('iframe');
    element.setAttribute('sandbox', 'allow-scripts');
    element.hidden = true;
    element.title = '';
    element.src = '/trial/frame';
    addEventListener('message', (event) => {
      if (event.source === element.contentWindow && event.data === 'stoa-trial-ready') resolve(element.contentWindow!);
    });
    document.body.append(element);
  }));
}
