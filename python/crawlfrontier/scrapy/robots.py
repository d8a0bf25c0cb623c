"""robots.txt by RFC 9309 for Scrapy."""
from __future__ import annotations

from typing import Any, Union

from scrapy.robotstxt import RobotParser as BaseRobotParser

from ..errors import ParseError
from ..robots import Robots, agent_token, parse_robots


class RobotParser(BaseRobotParser):
    """ROBOTSTXT_PARSER = "crawlfrontier.scrapy.RobotParser".

    A User-Agent is known to robots.txt by the product token that it begins with: "Example-Bot" of
    "Example-Bot/1.0 (+https://...)".
    """

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._by_agent: dict[Union[str, bytes], Robots] = {}  # Scrapy asks with one User-Agent, or a spider's few

    @classmethod
    def from_crawler(cls, crawler: Any, robotstxt_body: bytes) -> "RobotParser":
        return cls(robotstxt_body)

    def allowed(self, url: Union[str, bytes], user_agent: Union[str, bytes]) -> bool:
        """May the URL be fetched? One that is no URL is matched by no rule."""
        robots = self._by_agent.get(user_agent)
        if robots is None:
            robots = self._by_agent[user_agent] = parse_robots(self._body, agent_token(user_agent))
        try:
            return robots.allowed(url)
        except ParseError:
            return True
