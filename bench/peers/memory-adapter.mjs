// oidc-provider's storage in a Map. Its own in-memory adapter keeps only a thousand entries, which a load test outgrows.
const stored = new Map();
const byGrant = new Map();

export class MemoryAdapter {
  constructor(model) {
    this.model = model;
  }

  key(id) {
    return `${this.model}:${id}`;
  }

  async upsert(id, payload) {
    stored.set(this.key(id), payload);
    if (payload.grantId) {
      const keys = byGrant.get(payload.grantId);
      if (keys) keys.push(this.key(id));
      else byGrant.set(payload.grantId, [this.key(id)]);
    }
  }

  async find(id) {
    return stored.get(this.key(id));
  }

  async findByUid(uid) {
    return stored.get(this.key(uid));
  }

  async findByUserCode(code) {
    return stored.get(this.key(code));
  }

  async consume(id) {
    stored.get(this.key(id)).consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id) {
    stored.delete(this.key(id));
  }

  async revokeByGrantId(grantId) {
    for (const key of byGrant.get(grantId) ?? []) stored.delete(key);
    byGrant.delete(grantId);
  }
}
