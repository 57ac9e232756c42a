import { canonical } from './canonical';
import { BotFault, callOnce, type Call } from './calls';
import { nameOf, PlanError, type Key, type Kind, type Target, type Value } from './engine';
import { itemsOf, spelled, textAt, withMember } from './spelled';
import { zipOf } from './zip';

/** A running AstrBot as a target of plans, over its HTTP API (4.20 and later) with a scoped key: internal/market/astrbot in the browser. */
const patience = { read: 20_000, write: 90_000 }; // the bot starts an MCP server to test it before it answers
const scopes: Record<Kind, string> = { persona: 'persona', skill: 'skill', mcp_server: 'mcp', provider: 'provider', config: 'config' };
const configuration = '/config-profiles/default';
const skillFile = 'SKILL.md';
/** Members of an MCP server that say how it runs, not how it is configured. */
const serverState = ['name', 'connected', 'tools', 'errlogs'];
const maxShown = 300;

type Fields = Record<string, unknown>;
interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** Sent as it is, with its media type. */
  raw?: { bytes: Uint8Array<ArrayBuffer>; type: string };
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const same = (a: unknown, b: unknown) => canonical(a) === canonical(b);

export class AstrBot implements Target {
  readonly #address: string;
  readonly #key: string;
  readonly #call: Call;

  constructor(address: string, key: string, call: Call = callOnce) {
    this.#address = address;
    this.#key = key.trim();
    this.#call = call;
  }

  /** Whether the bot answers and takes the key. */
  async check(): Promise<void> {
    await this.#list('persona', '/personas', 'personas');
  }

  /** Whether the key has the scope for models or settings. */
  async may(kind: 'provider' | 'config'): Promise<boolean> {
    try {
      await this.#do(kind, { method: 'GET', path: kind === 'provider' ? '/providers' : configuration });
      return true;
    } catch (error) {
      if (error instanceof BotFault && error.problem === 'scope') return false;
      throw error;
    }
  }

  async read(keys: readonly Key[]): Promise<Map<string, string>> {
    const out = new Map<string, string>();
    const readers: Record<'persona' | 'skill' | 'mcp_server', (ids: Set<string>) => Promise<[string, Fields][]>> = { persona: (ids) => this.#personas(ids), skill: (ids) => this.#skills(ids), mcp_server: (ids) => this.#servers(ids) };
    for (const kind of Object.keys(readers) as (keyof typeof readers)[]) {
      const ids = new Set(keys.filter((key) => key.kind === kind).map(({ id }) => id));
      if (ids.size === 0) continue;
      for (const [id, value] of await readers[kind](ids)) out.set(nameOf({ kind, id }), canonical(value));
    }
    for (const [kind, reader] of [['provider', this.#providers], ['config', this.#settings]] as const) {
      const ids = keys.filter((key) => key.kind === kind).map(({ id }) => id);
      if (ids.length > 0) for (const [id, text] of await reader.call(this, ids)) out.set(nameOf({ kind, id }), spelled(text));
    }
    return out;
  }

  async write({ kind, id }: Key, before: Value, after: Value): Promise<void> {
    if (kind === 'provider') return this.#writeProvider(id, before, after);
    if (kind === 'config') return this.#writeSetting(id, before, after);
    const was = before === null ? undefined : (JSON.parse(before) as Fields);
    const next = after === null ? undefined : (JSON.parse(after) as Fields);
    if (kind === 'persona') await this.#writePersona(id, was, next);
    else if (kind === 'skill') await this.#writeSkill(id, was, next);
    else await this.#writeServer(id, was, next);
  }

  async #personas(ids: Set<string>): Promise<[string, Fields][]> {
    const rows = await this.#list('persona', '/personas', 'personas');
    return rows.flatMap((row): [string, Fields][] => {
      if (typeof row.persona_id !== 'string') throw new BotFault('nonsense');
      if (!ids.has(row.persona_id)) return [];
      const value: Fields = { system_prompt: row.system_prompt ?? null, begin_dialogs: row.begin_dialogs ?? [], tools: row.tools ?? null, skills: row.skills ?? null, custom_error_message: row.custom_error_message ?? null };
      if (row.folder_id != null) value.folder_id = row.folder_id;
      if (typeof row.sort_order === 'number' && row.sort_order !== 0) value.sort_order = row.sort_order;
      return [[row.persona_id, value]];
    });
  }

  async #skills(ids: Set<string>): Promise<[string, Fields][]> {
    const out: [string, Fields][] = [];
    for (const { name, active } of await this.#list('skill', '/skills', 'skills')) {
      if (typeof name !== 'string') throw new BotFault('nonsense');
      if (!ids.has(name)) continue;
      const { data: file } = await this.#do('skill', { method: 'GET', path: '/skills/file', query: { skill_name: name, path: skillFile } });
      if (!isFields(file) || typeof file.content !== 'string') throw new BotFault('nonsense');
      const value: Fields = { text: file.content };
      const entries = await this.#list('skill', '/skills/files', 'entries', { skill_name: name });
      const files = entries.map((entry) => String(entry.name ?? '')).filter((entry) => entry !== skillFile);
      if (files.length > 0) value.files = files.sort();
      if (active === false) value.active = false;
      out.push([name, value]);
    }
    return out;
  }

  async #servers(ids: Set<string>): Promise<[string, Fields][]> {
    const rows = await this.#list('mcp_server', '/mcp/servers', 'servers');
    return rows.flatMap((row): [string, Fields][] => {
      if (typeof row.name !== 'string') throw new BotFault('nonsense');
      if (!ids.has(row.name)) return [];
      return [[row.name, Object.fromEntries(Object.entries(row).filter(([name]) => !serverState.includes(name)))]];
    });
  }

  /** Models as texts: their numbers stay as the bot spells them. */
  async #providers(ids: string[]): Promise<[string, string][]> {
    const { text } = await this.#do('provider', { method: 'GET', path: '/providers' });
    const data = textAt(text, ['data', 'providers']) ?? textAt(text, ['data']);
    const rows = data === undefined ? undefined : itemsOf(data);
    if (!rows) throw new BotFault('nonsense');
    return rows.flatMap((row): [string, string][] => {
      const { id } = JSON.parse(row) as { id?: unknown };
      return typeof id === 'string' && ids.includes(id) ? [[id, row]] : [];
    });
  }

  async #settings(ids: string[]): Promise<[string, string][]> {
    const config = await this.#config();
    return ids.flatMap((id): [string, string][] => {
      const text = textAt(config, id.split('.'));
      return text === undefined ? [] : [[id, text]];
    });
  }

  /** The configuration as it was answered. */
  async #config(): Promise<string> {
    const { data, text } = await this.#do('config', { method: 'GET', path: configuration });
    if (!isFields(data) || !isFields(data.config)) throw new BotFault('nonsense');
    return textAt(text, ['data', 'config'])!;
  }

  async #writeProvider(id: string, before: Value, after: Value): Promise<void> {
    if (after === null) return this.#send('provider', { method: 'DELETE', path: '/providers/by-id', query: { provider_id: id } });
    const { enable } = JSON.parse(after) as { enable?: unknown };
    const members = [`"config":${after}`, ...(typeof enable === 'boolean' ? [`"enabled":${enable}`] : [])];
    if (before === null) return this.#send('provider', { method: 'POST', path: '/providers', raw: jsonOf(`{${members.join()}}`) });
    await this.#send('provider', { method: 'PUT', path: '/providers/by-id', raw: jsonOf(`{"provider_id":${JSON.stringify(id)},${members.join()}}`) });
  }

  /**
   * Sends the configuration back with one value changed: AstrBot has no call for a single setting. It is read again for
   * that, so that what others set meanwhile goes back too; where they set this very one, nothing is written.
   */
  async #writeSetting(id: string, before: Value, after: Value): Promise<void> {
    const path = id.split('.');
    const config = await this.#config();
    const now = textAt(config, path);
    if ((now === undefined ? null : spelled(now)) !== before) throw new PlanError('changed', [{ kind: 'config', id }]);
    const next = withMember(config, path, after);
    if (next === undefined) throw new BotFault('no_setting', id);
    await this.#send('config', { method: 'PUT', path: configuration, raw: jsonOf(next) });
  }

  async #writePersona(id: string, was: Fields | undefined, next: Fields | undefined): Promise<void> {
    if (!next) return this.#send('persona', { method: 'DELETE', path: '/personas/by-id', query: { persona_id: id } });
    if (!was) return this.#send('persona', { method: 'POST', path: '/personas', body: { ...next, persona_id: id } });
    const { folder_id: folder = null, sort_order: place = 0, ...texts } = next;
    await this.#send('persona', { method: 'PUT', path: '/personas/by-id', body: { ...texts, persona_id: id } });
    if (!same(folder, was.folder_id ?? null)) await this.#send('persona', { method: 'POST', path: '/personas/move', body: { persona_id: id, folder_id: folder } });
    if (!same(place, was.sort_order ?? 0)) await this.#send('persona', { method: 'POST', path: '/personas/reorder', body: { items: [{ id, type: 'persona', sort_order: place }] } });
  }

  async #writeSkill(name: string, was: Fields | undefined, next: Fields | undefined): Promise<void> {
    if (!next) return this.#send('skill', { method: 'DELETE', path: '/skills/by-name', query: { skill_name: name } });
    if (!was) await this.#send('skill', { method: 'POST', path: '/skills', raw: formOf(`${name}.zip`, zipOf(`${name}/${skillFile}`, String(next.text))) });
    else if (was.text !== next.text) await this.#send('skill', { method: 'PUT', path: '/skills/file', body: { skill_name: name, path: skillFile, content: next.text } });
    const on = next.active !== false;
    if ((was?.active !== false) !== on) await this.#send('skill', { method: 'PATCH', path: '/skills/by-name', body: { skill_name: name, enabled: on } });
  }

  async #writeServer(name: string, was: Fields | undefined, next: Fields | undefined): Promise<void> {
    if (!next) return this.#send('mcp_server', { method: 'DELETE', path: '/mcp/servers/by-name', query: { server_name: name } });
    if (!was) return this.#send('mcp_server', { method: 'POST', path: '/mcp/servers', body: { ...next, name } });
    await this.#send('mcp_server', { method: 'PUT', path: '/mcp/servers/by-name', body: { server_name: name, config: next } });
  }

  async #list(kind: Kind, path: string, name: string, query?: Record<string, string>): Promise<Fields[]> {
    const { data } = await this.#do(kind, { method: 'GET', path, query });
    const rows = isFields(data) ? data[name] : data;
    if (!Array.isArray(rows) || !rows.every(isFields)) throw new BotFault('nonsense');
    return rows;
  }

  async #send(kind: Kind, request: Request): Promise<void> {
    await this.#do(kind, request);
  }

  /** Makes a call and gives the data of its envelope, and its text. Refusals may come with status 200. */
  async #do(kind: Kind, { method, path, query, body, raw }: Request): Promise<{ data: unknown; text: string }> {
    const headers: Record<string, string> = { 'X-API-Key': this.#key };
    if (raw) headers['Content-Type'] = raw.type;
    else if (body !== undefined) headers['Content-Type'] = 'application/json';
    const url = `${this.#address}/api/v1${path}${query ? `?${new URLSearchParams(query)}` : ''}`;
    const { status, text } = await this.#call({ url, method, headers, body: raw?.bytes ?? (body === undefined ? undefined : JSON.stringify(body)) }, method === 'GET' ? patience.read : patience.write);
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      answer = undefined;
    }
    const envelope = isFields(answer) && (answer.status === 'ok' || answer.status === 'error') ? answer : undefined;
    const said = typeof envelope?.message === 'string' ? this.#shown(envelope.message) : '';
    if (status === 401) throw new BotFault('key', said);
    if (status === 403) throw new BotFault('scope', scopes[kind]);
    if ((status === 404 || status === 405) && !envelope) throw new BotFault('older');
    if (status >= 500 && !envelope) throw new BotFault('refused', String(status));
    if (!envelope) throw new BotFault('nonsense');
    if (envelope.status === 'error' || status >= 400) throw new BotFault('refused', said);
    return { data: envelope.data, text };
  }

  /** A bot's words, fit to show: one line, short, without the key. */
  #shown(text: string): string {
    const line = text.replaceAll(this.#key, '…').replace(/\s+/g, ' ').trim();
    return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
  }
}

const jsonOf = (text: string) => ({ bytes: new TextEncoder().encode(text), type: 'application/json' });

/** One file as a form sends it. */
function formOf(filename: string, file: Uint8Array): { bytes: Uint8Array<ArrayBuffer>; type: string } {
  const boundary = `stoa-${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  const encode = (text: string) => new TextEncoder().encode(text);
  const head = encode(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: application/zip\r\n\r\n`);
  const tail = encode(`\r\n--${boundary}--\r\n`);
  const bytes = new Uint8Array(head.length + file.length + tail.length);
  bytes.set(head);
  bytes.set(file, head.length);
  bytes.set(tail, head.length + file.length);
  return { bytes, type: `multipart/form-data; boundary=${boundary}` };
}
