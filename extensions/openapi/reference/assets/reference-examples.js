// Example values in the forms of the API reference, ready to send. Bundled with reference.js.

/** Rows of a list that the reader may see, or none. Each list is fetched once. */
const rows = new Map();
function rowsOf(list) {
  if (!rows.has(list)) {
    const asked = currentToken().then(async (token) => {
      if (!token) return [];
      const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
      const response = await fetch(`${root}${list}?limit=50&count=none`, { headers });
      return response.ok ? ((await response.json()).data ?? []) : [];
    });
    rows.set(
      list,
      asked.catch(() => []),
    );
  }
  return rows.get(list);
}

const rowOf = async (list) => (await rowsOf(list))[0];

/** For fields that are unique together and refer to rows: finds rows that are not combined yet. */
async function freeTogether(path, names, references) {
  const lists = await Promise.all(names.map((name) => (references[name] ? rowsOf(references[name]) : [])));
  if (lists.some((list) => list.length === 0)) return {};
  const taken = new Set((await rowsOf(path)).map((row) => names.map((name) => row[name]).join()));
  const choices = lists.reduce((made, list) => made.flatMap((ids) => list.map(({ id }) => [...ids, id])), [[]]);
  const free = choices.find((ids) => !taken.has(ids.join())) ?? [];
  return Object.fromEntries(free.map((id, i) => [names[i], id]));
}

/** A new value for a unique field: `AB 123` → `AB 847`, `ada@example.com` → `ada-4f2c@example.com`. */
function unlikeOthers(value) {
  if (typeof value !== 'string') return value;
  const random = Math.random().toString(16).slice(2, 6);
  if (value.includes('@')) return value.replace('@', `-${random}@`);
  if (!/\d/.test(value)) return `${value}-${random}`;
  let left = 4;
  return value.replace(/\d(?=\D*(\d\D*){0,3}$)/g, (digit) => (left-- > 0 ? Math.floor(Math.random() * 10) : digit));
}

/** Replaces the ids of the document with existing ids. A form that changes a row starts with the current row. */
async function fillIn(form) {
  let row;
  for (const input of all('input[data-rows]', form)) {
    const found = await rowOf(input.dataset.rows);
    if (found && exampleId.test(input.value)) {
      input.value = found.id;
      row = found;
    }
  }
  const text = form.querySelector('textarea');
  if (!text || text.value !== text.defaultValue || text.value === '') return;
  const { references, unique, together, members } = JSON.parse(text.dataset.facts);
  let body = JSON.parse(text.value);
  if (text.dataset.fromRow && row) {
    const kept = text.dataset.fromRow === 'put' ? members : Object.keys(body);
    body = Object.fromEntries(kept.filter((name) => name in row).map((name) => [name, row[name]]));
  } else {
    for (const name of unique) if (name in body) body[name] = unlikeOthers(body[name]);
    for (const [name, list] of Object.entries(references)) {
      const found = name in body ? await rowOf(list) : undefined;
      if (found) body[name] = found.id;
    }
    // Fetched again: the last request may have used a row.
    rows.delete(form.dataset.path);
    for (const names of together) Object.assign(body, await freeTogether(form.dataset.path, names, references));
  }
  if (text.value === text.defaultValue) text.value = JSON.stringify(body, null, 2);
}
