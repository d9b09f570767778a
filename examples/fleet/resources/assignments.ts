import { anyOf, belongsTo, date, defineResource, equals, reference, related, role } from 'gatehouse-server/resources';

/** The drivers who may drive each car. The owner of the car decides. */
export default defineResource({
  name: 'assignments',
  description: 'Which driver may drive which car.',
  icon: 'key',
  fields: {
    car_id: reference('cars', { required: true, onDelete: 'cascade', searchable: true }),
    driver_id: reference('drivers', { required: true, onDelete: 'cascade', searchable: true }),
    until: date({ searchable: true, sortable: true }),
  },
  uniqueTogether: [['car_id', 'driver_id']],
  relations: {
    car: belongsTo('cars', { by: 'car_id' }),
    driver: belongsTo('drivers', { by: 'driver_id' }),
  },
  access: {
    read: 'auth:api',
    write: anyOf(
      role('admin'),
      (caller) => caller.userId !== null && related('car', related('owner', equals('user_id', caller.userId))),
    ),
  },
});
