export function getOrCreate<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  create: (key: K) => V,
): V {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create(key);
  map.set(key, created);
  return created;
}
