import assert from 'node:assert/strict';
import { type RequestOptions, request } from './request.ts';

export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  /** The target of a redirect. */
  readonly location: string | null;
  readonly html: string;
}

/** A browser without scripts: it keeps cookies, sends forms, and does not follow redirects automatically. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #url: string;
  #csrf = '';

  constructor({ url }: { readonly url: string }) {
    this.#url = url;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Visit> {
    return this.#request(path, { headers });
  }

  /** Sends a form with the token of the last page that had one. */
  send(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Visit> {
    return this.#request(path, { form: { _csrf: this.#csrf, ...fields }, headers });
  }

  async signIn(login: string, password: string, next = ''): Promise<Visit> {
    await this.get('/login');
    return this.send('/login', { login, password, ...(next ? { next } : {}) });
  }

  async #request(path: string, { form, headers }: Pick<RequestOptions, 'form' | 'headers'>): Promise<Visit> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await request({ url: this.#url }, path, {
      ...(form ? { form } : {}),
      headers: { accept: 'text/html', ...(cookie ? { cookie } : {}), ...headers },
    });
    for (const set of response.headers.getSetCookie()) this.#keep(set);
    const html = response.text;
    this.#csrf = /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? this.#csrf;
    return { status: response.status, headers: response.headers, location: response.headers.get('location'), html };
  }

  #keep(set: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? assert.fail(`not a cookie: ${set}`);
    if (/max-age=0/i.test(set)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
