import cars from '../resources/cars.ts';

/** The same cars, with changes recorded. */
export default { ...cars, changes: true };
