/** The queries that Gatehouse runs on SQLite for an operation on cars. */
const car = 'id, plate, color, seats, owner_id, created_at, updated_at, version';

export const oneCar = `select ${car} from cars where id = +?`;
export const carsOnPage = `select ${car} from cars order by id limit +?`;
export const countOfCars = `select case when (select max(rowid) from cars) - (select min(rowid) from cars) < 100000
  then (select count(*) from cars) else (select count(*) from (select 1 from cars limit 10001)) end as n`;
export const searchedCars = `select ${car} from cars where plate_folded = +? order by id limit +?`;
export const ownersOfPage = (rows: number): string =>
  `select id, name, created_at, updated_at, version from owners where id in (${Array(rows).fill('+?').join(', ')})`;
