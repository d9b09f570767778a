/**
 * A browser without scripts for several sites: stores cookies for each, follows redirects, and submits self-submitting
 * forms.
 */
export class WebBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(cookies: ReadonlyMap<string, ReadonlyMap<string, string>>) {
    for (const [host, those] of cookies) this.#cookies.set(host, new Map(those));
  }

  async visit(address: string, form?: URLSearchParams | Blob): Promise<{ url: string; status: number; text: string }> {
    let url = address;
    let body = form;
    let { origin } = new URL(address);
    for (let hops = 0; hops < 15; hops++) {
      const response = await fetch(url, {
        method: body ? 'POST' : 'GET',
        redirect: 'manual',
        headers: { accept: 'text/html', cookie: this.#cookieOf(url), ...(body ? { origin } : {}) },
        ...(body ? { body } : {}),
      });
      this.#keep(url, response.headers.getSetCookie());
      const location = response.headers.get('location');
      const text = await response.text();
      body = undefined;
      if (location) {
        url = new URL(location, url).href;
        continue;
      }
      const sent = /<form method="post" action="([^"]+)"[^>]*data-submit>/.exec(text);
      if (!sent) return { url, status: response.status, text };
      const fields = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
      body = new URLSearchParams(fields.map(([, name, value]) => [name as string, value as string]));
      ({ origin } = new URL(url));
      url = sent[1] as string;
    }
    throw new Error(`too many redirects, the last to ${url}`);
  }

  #cookieOf(url: string): string {
    const those = this.#cookies.get(new URL(url).host) ?? new Map<string, string>();
    return [...those].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(url: string, headers: readonly string[]): void {
    const { host } = new URL(url);
    const those = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, those);
    for (const header of headers) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(header)) those.delete(name);
      else those.set(name, value);
    }
  }
}
