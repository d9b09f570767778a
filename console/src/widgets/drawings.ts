import type { SvgIconComponent } from '@mui/icons-material';
import AccountBalanceOutlined from '@mui/icons-material/AccountBalanceOutlined';
import BarChartOutlined from '@mui/icons-material/BarChartOutlined';
import BoltOutlined from '@mui/icons-material/BoltOutlined';
import BuildOutlined from '@mui/icons-material/BuildOutlined';
import BusinessOutlined from '@mui/icons-material/BusinessOutlined';
import CalendarMonthOutlined from '@mui/icons-material/CalendarMonthOutlined';
import CardGiftcardOutlined from '@mui/icons-material/CardGiftcardOutlined';
import ChatOutlined from '@mui/icons-material/ChatOutlined';
import CloudOutlined from '@mui/icons-material/CloudOutlined';
import CodeOutlined from '@mui/icons-material/CodeOutlined';
import DescriptionOutlined from '@mui/icons-material/DescriptionOutlined';
import DirectionsCarOutlined from '@mui/icons-material/DirectionsCarOutlined';
import EmojiEventsOutlined from '@mui/icons-material/EmojiEventsOutlined';
import EnergySavingsLeafOutlined from '@mui/icons-material/EnergySavingsLeafOutlined';
import FavoriteBorderOutlined from '@mui/icons-material/FavoriteBorderOutlined';
import FlagOutlined from '@mui/icons-material/FlagOutlined';
import FolderOutlined from '@mui/icons-material/FolderOutlined';
import HomeOutlined from '@mui/icons-material/HomeOutlined';
import ImageOutlined from '@mui/icons-material/ImageOutlined';
import Inventory2Outlined from '@mui/icons-material/Inventory2Outlined';
import KeyOutlined from '@mui/icons-material/KeyOutlined';
import LinkOutlined from '@mui/icons-material/LinkOutlined';
import LocalCafeOutlined from '@mui/icons-material/LocalCafeOutlined';
import LocalOfferOutlined from '@mui/icons-material/LocalOfferOutlined';
import LocalShippingOutlined from '@mui/icons-material/LocalShippingOutlined';
import LockOutlined from '@mui/icons-material/LockOutlined';
import MailOutlined from '@mui/icons-material/MailOutlined';
import MapOutlined from '@mui/icons-material/MapOutlined';
import MenuBookOutlined from '@mui/icons-material/MenuBookOutlined';
import MusicNoteOutlined from '@mui/icons-material/MusicNoteOutlined';
import NotificationsOutlined from '@mui/icons-material/NotificationsOutlined';
import PaymentsOutlined from '@mui/icons-material/PaymentsOutlined';
import PeopleOutlined from '@mui/icons-material/PeopleOutlined';
import PersonOutlined from '@mui/icons-material/PersonOutlined';
import PhoneOutlined from '@mui/icons-material/PhoneOutlined';
import PhotoCameraOutlined from '@mui/icons-material/PhotoCameraOutlined';
import PlaceOutlined from '@mui/icons-material/PlaceOutlined';
import ReceiptLongOutlined from '@mui/icons-material/ReceiptLongOutlined';
import ScheduleOutlined from '@mui/icons-material/ScheduleOutlined';
import SchoolOutlined from '@mui/icons-material/SchoolOutlined';
import SettingsOutlined from '@mui/icons-material/SettingsOutlined';
import ShieldOutlined from '@mui/icons-material/ShieldOutlined';
import ShoppingBagOutlined from '@mui/icons-material/ShoppingBagOutlined';
import ShoppingCartOutlined from '@mui/icons-material/ShoppingCartOutlined';
import StarOutlineOutlined from '@mui/icons-material/StarOutlineOutlined';
import StorefrontOutlined from '@mui/icons-material/StorefrontOutlined';
import TableRowsOutlined from '@mui/icons-material/TableRowsOutlined';
import TaskAltOutlined from '@mui/icons-material/TaskAltOutlined';
import VideocamOutlined from '@mui/icons-material/VideocamOutlined';
import WorkOutlineOutlined from '@mui/icons-material/WorkOutlineOutlined';

/** The drawings that a declaration may name (`icon`). Loaded when one does. */
export const drawings: ReadonlyMap<string, SvgIconComponent> = new Map([
  ['bank', AccountBalanceOutlined],
  ['bell', NotificationsOutlined],
  ['bolt', BoltOutlined],
  ['book', MenuBookOutlined],
  ['box', Inventory2Outlined],
  ['building', BusinessOutlined],
  ['calendar', CalendarMonthOutlined],
  ['camera', PhotoCameraOutlined],
  ['car', DirectionsCarOutlined],
  ['cart', ShoppingCartOutlined],
  ['chart', BarChartOutlined],
  ['chat', ChatOutlined],
  ['clock', ScheduleOutlined],
  ['cloud', CloudOutlined],
  ['code', CodeOutlined],
  ['coffee', LocalCafeOutlined],
  ['document', DescriptionOutlined],
  ['flag', FlagOutlined],
  ['folder', FolderOutlined],
  ['gift', CardGiftcardOutlined],
  ['heart', FavoriteBorderOutlined],
  ['home', HomeOutlined],
  ['image', ImageOutlined],
  ['invoice', ReceiptLongOutlined],
  ['key', KeyOutlined],
  ['leaf', EnergySavingsLeafOutlined],
  ['link', LinkOutlined],
  ['lock', LockOutlined],
  ['mail', MailOutlined],
  ['map', MapOutlined],
  ['medal', EmojiEventsOutlined],
  ['money', PaymentsOutlined],
  ['music', MusicNoteOutlined],
  ['people', PeopleOutlined],
  ['person', PersonOutlined],
  ['phone', PhoneOutlined],
  ['pin', PlaceOutlined],
  ['school', SchoolOutlined],
  ['settings', SettingsOutlined],
  ['shield', ShieldOutlined],
  ['shop', ShoppingBagOutlined],
  ['star', StarOutlineOutlined],
  ['store', StorefrontOutlined],
  ['table', TableRowsOutlined],
  ['tag', LocalOfferOutlined],
  ['task', TaskAltOutlined],
  ['tool', BuildOutlined],
  ['truck', LocalShippingOutlined],
  ['video', VideocamOutlined],
  ['work', WorkOutlineOutlined],
]);
