"""Parts for Scrapy, by its settings alone:

    SCHEDULER = "crawlfrontier.scrapy.Scheduler"
    DUPEFILTER_CLASS = "crawlfrontier.scrapy.DupeFilter"
    ROBOTSTXT_PARSER = "crawlfrontier.scrapy.RobotParser"

and ``from crawlfrontier.scrapy import LinkExtractor`` in place of Scrapy's own.
"""
from .dupefilter import DupeFilter
from .links import LinkExtractor
from .robots import RobotParser
from .scheduler import Scheduler

__all__ = ["DupeFilter", "LinkExtractor", "RobotParser", "Scheduler"]
