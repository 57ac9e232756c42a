/** What a template package says of itself in its bundle.json, read here so that nobody types it again. */
export interface BundleFacts {
  template_id: string;
  version: string;
  title: string;
  prompt: string;
}

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const largestBundle = 1 << 20;

/** Undefined for anything that is not such a package; the server has the last word on what is. */
export async function readBundle(file: Blob): Promise<BundleFacts | undefined> {
  try {
    const said = JSON.parse(await textOf(file, 'bundle.json')) as Record<string, unknown>;
    const text = (name: string) => (typeof said[name] === 'string' ? said[name] : '');
    return { template_id: text('template_id'), version: text('version'), title: text('title'), prompt: text('prompt') || text('prompt_template') };
  } catch {
    return undefined;
  }
}

async function textOf(file: Blob, wanted: string): Promise<string> {
  const tailStart = Math.max(0, file.size - 65_557);
  const tail = await view(file, tailStart, file.size);
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== endMark) end--;
  if (end < 0) throw new Error('no zip');
  const size = tail.getUint32(end + 12, true);
  const start = tail.getUint32(end + 16, true);
  const names = await view(file, start, start + size);
  for (let at = 0; at + 46 <= names.byteLength && names.getUint32(at, true) === entryMark; ) {
    const nameLength = names.getUint16(at + 28, true);
    const name = new TextDecoder().decode(new Uint8Array(names.buffer, at + 46, nameLength));
    if (name === wanted) {
      if (names.getUint32(at + 24, true) > largestBundle) throw new Error('too large');
      return inflated(file, names.getUint16(at + 10, true), names.getUint32(at + 20, true), names.getUint32(at + 42, true));
    }
    at += 46 + nameLength + names.getUint16(at + 30, true) + names.getUint16(at + 32, true);
  }
  throw new Error('not there');
}

async function inflated(file: Blob, method: number, size: number, offset: number): Promise<string> {
  const local = await view(file, offset, offset + 30);
  const start = offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  const bytes = file.slice(start, start + size);
  if (method === 0) return bytes.text();
  const reader = bytes.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts: BlobPart[] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.byteLength;
    // A directory can lie about sizes; what is read here stays small all the same.
    if (length > largestBundle) throw new Error('too large');
    parts.push(next.value as Uint8Array<ArrayBuffer>);
  }
  return new Blob(parts).text();
}

async function view(file: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await file.slice(from, to).arrayBuffer());
}
