import { useCallback } from 'react';
import { Notification, NotificationContext, useNotificationContext } from 'react-admin';

/** react-admin's notifications. Its own function to take the first one loses another that was added since the last render. */
export function Notifications() {
  const context = useNotificationContext();
  const { notifications, setNotifications } = context;
  const takeNotification = useCallback(() => {
    const [first] = notifications;
    setNotifications((all) => all.filter((each) => each !== first));
    return first;
  }, [notifications, setNotifications]);
  return (
    <NotificationContext.Provider value={{ ...context, takeNotification }}>
      <Notification />
    </NotificationContext.Provider>
  );
}
